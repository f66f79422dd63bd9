# io
