export interface Address {
  id: number
  poBox: string
  extendedAddress: string
  street: string
  houseNumber: string
  locality: string
  region: string
  postalCode: string
  country: string
}

export interface Addresses {
  list(accountId: string): Promise<Address[]>
  find(accountId: string, id: number): Promise<Address | undefined>
  /** Like find, and locks the address until the transaction ends. */
  lock(accountId: string, id: number): Promise<Address | undefined>
  insert(accountId: string, address: Omit<Address, 'id'>, at: number): Promise<number>
  update(accountId: string, address: Address, at: number): Promise<boolean>
}
