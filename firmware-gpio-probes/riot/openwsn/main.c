/** OpenWSN starts by itself (auto_init); its shell commands make a node the root. */
#include "shell.h"

int main(void)
{
    static char line[SHELL_DEFAULT_BUFSIZE];

    shell_run(NULL, line, sizeof line);
    return 0;
}
