#ifndef SELFTEST_H
#define SELFTEST_H

/** The shell's command: one round trip with the peer; says which expected events did not come. */
int selftest(int argc, char **argv);

#endif
