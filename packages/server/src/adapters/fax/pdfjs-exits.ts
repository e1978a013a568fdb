/** Exit codes of the pdf.js process. */
export const locked = 3
export const tooLong = 4
export const unreadable = 5
