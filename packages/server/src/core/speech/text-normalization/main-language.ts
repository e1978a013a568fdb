/** `de` of `de-AT`. */
export const mainLanguage = (tag: string): string => tag.toLowerCase().split(/[-_]/)[0] ?? ''
