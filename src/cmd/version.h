/* The version of sonde: --version prints it, recordings keep it. */
#ifndef CMD_VERSION_H
#define CMD_VERSION_H

#define SONDE_VERSION "0.1.0"

#endif
