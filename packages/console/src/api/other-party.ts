/** As much of an entry of the history as tells who took part. */
interface Sides<Contact> {
  incoming: boolean
  source: string
  target: string
  sourceAlias?: string
  targetAlias?: string
  sourceContact?: Contact
  targetContact?: Contact
}

/** Who is at the other end. */
export const otherParty = <Contact>(entry: Sides<Contact>): { number: string; alias: string; contact: Contact | undefined } =>
  entry.incoming
    ? { number: entry.source, alias: entry.sourceAlias ?? '', contact: entry.sourceContact }
    : { number: entry.target, alias: entry.targetAlias ?? '', contact: entry.targetContact }
