/** What the process of pdf.js says with its end. */
export const locked = 3
export const tooLong = 4
export const unreadable = 5
