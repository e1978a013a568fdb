/** A number that accounts can order. */
export interface StockNumber {
  id: string
  e164: string
  /** ISO 3166; empty for numbers that belong to no country. */
  country: string
  /** Digits after the country's code that stand for the place or kind: the area code where we know it, else empty. */
  area: string
  /** Paid once, with the order; ten-thousandths of the currency of the purse that pays. */
  price: number
  /** The account's number that it became. */
  numberId: string | undefined
  /** Nobody gets a number at once that somebody else had yesterday. */
  freeFrom: number
}

export interface StockSearch {
  /** By e164. */
  after: string
  limit: number
  country?: string
  area?: string
  /** Digits anywhere in the number. */
  digits?: string
}

/** Belongs to the operator; accounts see what is free. */
export interface NumberStock {
  /** False when the number is in stock already. */
  add(number: Omit<StockNumber, 'numberId' | 'freeFrom'>, at: number): Promise<boolean>
  page(search: StockSearch): Promise<StockNumber[]>
  free(search: StockSearch, at: number): Promise<StockNumber[]>
  /** Locks it until the transaction ends. */
  lock(id: string): Promise<StockNumber | undefined>
  give(id: string, numberId: string): Promise<void>
  /** Whether a number of an account came from here. */
  isOrdered(numberId: string): Promise<boolean>
  /** The number is no longer an account's. Nothing happens to one that never was in stock. */
  takeBack(numberId: string, freeFrom: number): Promise<void>
  remove(id: string): Promise<boolean>
}
