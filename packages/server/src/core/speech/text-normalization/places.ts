/** Whether nothing but gaps is left of the text from a place on. */
export const isLast = (text: string): ((at: number) => boolean) => {
  const end = text.trimEnd().length
  return (at) => at >= end
}

/** The words before a place, as far as rules look back; empty only at the very beginning. */
export const justBefore = (text: string, at: number): string => text.slice(Math.max(0, at - 24), at)
