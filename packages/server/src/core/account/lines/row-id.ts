/** The number behind an id that the database counts up. What cannot be one becomes 0, which no row has. */
export const rowId = (text: string): number => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0)
