/** Parses the id of an auto-increment row. Maps invalid ids to 0, which no row has. */
export const rowId = (text: string): number => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : 0)
