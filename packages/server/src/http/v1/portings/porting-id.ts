/** What is no id at all becomes 0, which no porting has. */
export const portingIdOf = (text: string): number => (/^\d{1,15}$/.test(text) ? Number(text) : 0)
