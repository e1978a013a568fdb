/** A contact as read from a file. */
export interface Card {
  /** First line of the contact, counted from 1. */
  line: number
  name: string
  numbers: string[]
  emails: string[]
}

/** Maximum values per contact; further values in a file are dropped. */
export const maxValues = 20

/** A contact or undefined, with the characters read for it: a file of empty lines takes time, too. */
export interface ReadCard {
  card: Card | undefined
  characters: number
}
