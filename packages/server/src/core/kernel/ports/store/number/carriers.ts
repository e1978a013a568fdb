/** Another carrier that numbers are exchanged with. */
export interface Carrier {
  code: string
  name: string
  /** Its messages go to `{url}/carrier/v1/messages`. */
  url: string
  /** The secret both sides sign with, sealed. */
  secretSealed: string
}

export interface Carriers {
  list(): Promise<Carrier[]>
  find(code: string): Promise<Carrier | undefined>
  /** False when the code is taken. */
  insert(carrier: Carrier, at: number): Promise<boolean>
  update(code: string, change: Partial<Omit<Carrier, 'code'>>): Promise<boolean>
  remove(code: string): Promise<boolean>
  /** False when this message was recorded before. */
  recordMessage(message: { id: string; carrier: string; direction: 'IN' | 'OUT'; type: string; at: number }): Promise<boolean>
}
