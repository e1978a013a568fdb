/**
 * Why most work is given up. A signal that is aborted without a reason makes an error with a stack each time, which costs more than all
 * the rest of it and which nobody reads.
 */
export const noLongerWanted = new Error('no longer wanted')
