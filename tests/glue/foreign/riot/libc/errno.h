/* ISO C 7.5, POSIX; numbers as picolibc has them */
#define EAGAIN 11
#define EBUSY 16
#define EPROTO 71
#define ENOBUFS 105
#define EHOSTUNREACH 118
#define ENOTSUP 134
