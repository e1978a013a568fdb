/** Our text for a name of the service; the name itself if unknown. */
export const wordFor = (words: Readonly<Record<string, string>>, name: string | number): string => words[name] ?? String(name)
