/* CRC-32C (Castagnoli), as in iSCSI, ext4 and btrfs: of "123456789" it is e3069283. */
#ifndef BASE_CRC_H
#define BASE_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Of `bytes` behind what gave `before` (0 at the start). */
uint32_t crc32c(uint32_t before, const void *bytes, size_t count);
/* The same without the processor's own instruction: what other processors run. */
uint32_t crc32c_plain(uint32_t before, const void *bytes, size_t count);

#endif
