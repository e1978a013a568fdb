/** With what a customer's program logs in at the SMPP server; an SMS extension has at most one. */
export interface ProgramLogin {
  accountId: string
  smsId: string
  systemId: string
  /** Of the password. */
  hash: string
  createdAt: number
}

/** A part of a long message. */
export interface ProgramPart {
  /** The message that it will be. */
  messageId: string
  number: number
  text: string
  /** When it came last. */
  at: number
  /** When the message was ordered; undefined while others are still to come. */
  doneAt: number | undefined
}

/** How a program names what belongs together. */
export interface ProgramDeps {
  accountId: string
  smsId: string
  sender: string
  recipient: string
  reference: number
  total: number
}

/** What a program is told as soon as it listens: a message to its extension, or what became of one that it sent. */
export interface ProgramNote {
  id: string
  accountId: string
  smsId: string
  kind: 'MESSAGE' | 'RECEIPT'
  /** Of the message in the history. */
  messageId: string
  /** Receipts: for which part of several, counted from 1; 0 for a message of one. */
  part: number
  /** Receipts: only if it failed. */
  onlyFailure: boolean
  createdAt: number
}

/** Customers' programs at the SMPP server. */
export interface Programs {
  findLogin(accountId: string, smsId: string): Promise<ProgramLogin | undefined>
  findBySystemId(systemId: string): Promise<ProgramLogin | undefined>
  /** In the place of the one that was there. */
  setLogin(login: ProgramLogin): Promise<void>
  /** With all that waits for the program. */
  removeLogin(accountId: string, smsId: string): Promise<boolean>

  parts(of: ProgramDeps): Promise<ProgramPart[]>
  /** In the place of the one with its number. */
  putPart(of: ProgramDeps, part: ProgramPart): Promise<void>
  /** Of messages that are not complete. */
  countParts(accountId: string, smsId: string): Promise<number>
  /** This message was ordered; parts of another one may have come since. */
  finishParts(of: ProgramDeps, messageId: string, at: number): Promise<void>
  removeParts(of: ProgramDeps): Promise<void>

  /** Due at once when it has a time, else when the outcome of its message is known. */
  putNote(note: ProgramNote, dueAt: number | undefined): Promise<void>
  /** The receipts for a message are due, and wait for their program from now on. */
  outcomeKnown(accountId: string, messageId: string, at: number): Promise<void>
  haveDue(accountId: string, smsId: string, now: number): Promise<boolean>
  /** Up to `limit` that are due, oldest first; leased until `until`. */
  takeNotes(accountId: string, smsId: string, options: { now: number; until: number; limit: number }): Promise<ProgramNote[]>
  /** To be told at that time. */
  postponeNote(accountId: string, id: string, dueAt: number): Promise<void>
  removeNote(accountId: string, id: string): Promise<void>
  /** Receipts of a message that was not accepted after all. */
  removeNotesOf(accountId: string, messageId: string): Promise<void>
  countNotes(accountId: string, smsId: string, kind: ProgramNote['kind']): Promise<number>

  /** Parts that came before, notes that waited for their program since before, and receipts that can no longer be expected. */
  removeOlderThan(at: { parts: number; told: number; outcomes: number }): Promise<void>
}
