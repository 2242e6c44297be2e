/* The keeper's own process. */
#ifndef ASSAY_RUN_KEEPER_MAIN_H
#define ASSAY_RUN_KEEPER_MAIN_H

/* Serves the parent on link_fd until BYE. Returns the exit status. */
int keeper_main(int link_fd);

#endif
