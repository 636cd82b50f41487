/* The version of sonde: --version prints it, recordings keep it. */
#ifndef CMD_VERSION_H
#define CMD_VERSION_H

#define SONDE_VERSION "0.1.0"
#define SONDE_DATE "2026-11-16" /* of that version; manual pages carry it */

#endif
