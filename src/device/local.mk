# device
