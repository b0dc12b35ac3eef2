/* RIOT sys/include/shell.h. */
#ifndef RIOT_SHELL_H
#define RIOT_SHELL_H

typedef int (*shell_command_handler_t)(int argc, char **argv);

typedef struct {
    const char *name;
    const char *desc;
    shell_command_handler_t handler;
} shell_command_t;

#define SHELL_DEFAULT_BUFSIZE 128

void shell_run(const shell_command_t *commands, char *line_buf, int len);

#endif
