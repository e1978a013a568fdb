/** The fields of a history entry that identify the parties. */
interface Sides<Contact> {
  incoming: boolean
  source: string
  target: string
  sourceAlias?: string
  targetAlias?: string
  sourceContact?: Contact
  targetContact?: Contact
}

/** The other party of a call. */
export const otherParty = <Contact>(entry: Sides<Contact>): { number: string; alias: string; contact: Contact | undefined } =>
  entry.incoming
    ? { number: entry.source, alias: entry.sourceAlias ?? '', contact: entry.sourceContact }
    : { number: entry.target, alias: entry.targetAlias ?? '', contact: entry.targetContact }
