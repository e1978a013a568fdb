/** What the process that reads a PDF says with its end. */
export const locked = 3
export const tooLong = 4
export const unreadable = 5
