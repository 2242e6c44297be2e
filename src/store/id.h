/* How long the id of a record is, for structs that hold one: KIND-<32 hex> and a NUL. */
#ifndef ASSAY_STORE_ID_H
#define ASSAY_STORE_ID_H

#define STORE_ID_MAX 80

#endif
