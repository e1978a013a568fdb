/** Our word for something the service names; the service's own where it has learnt a new one. */
export const wordFor = (words: Readonly<Record<string, string>>, name: string | number): string => words[name] ?? String(name)
