// Starts the launcher in Resources: macOS wants the program of a bundle to be one of its own kind.
#include <limits.h>
#include <mach-o/dyld.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
    (void)argc;
    char path[PATH_MAX], real[PATH_MAX], launcher[PATH_MAX];
    uint32_t size = sizeof path;
    if (_NSGetExecutablePath(path, &size) != 0 || realpath(path, real) == NULL) {
        return 127;
    }
    char *end = strstr(real, "/Contents/MacOS/");
    if (end == NULL) {
        return 127;
    }
    *end = '\0';
    int length = snprintf(launcher, sizeof launcher, "%s/Contents/Resources/footnote", real);
    if (length < 0 || (size_t)length >= sizeof launcher) {
        return 127;
    }
    execv(launcher, argv);
    perror(launcher);
    return 127;
}
