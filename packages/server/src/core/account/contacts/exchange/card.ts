/** A contact as it stands in a file. */
export interface Card {
  /** Where it begins, counted from 1. */
  line: number
  name: string
  numbers: string[]
  emails: string[]
}
