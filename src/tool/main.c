/* The command line's entry: finds the command and runs it. */
#include <clradio/clradio.h>
#include <stdio.h>

int main(void)
{
    printf("clradio %s\n", clradio_version());
    return 0;
}
