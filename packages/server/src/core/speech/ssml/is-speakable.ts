/** Elements that make sound, or an intended pause, without words of their own. */
const sounding = /<(?:audio|break)(?![\w:-])/i
const tag = /<[^<>]{0,2000}>/g
/** Letters, digits, and signs that are read as words. */
const spoken = /[\p{L}\p{N}\p{Sc}%&@+=§°]/u
/** Keycaps are emoji made of a digit or sign. */
const keycap = /[\d#*]\ufe0f?\u20e3/g

/** False for a text or document without anything that a voice could say: empty, punctuation, emoji. */
export const isSpeakable = (written: string): boolean =>
  sounding.test(written) || spoken.test(written.replaceAll(tag, ' ').replaceAll(keycap, ' '))
