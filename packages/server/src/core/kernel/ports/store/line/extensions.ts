/** w user, e register device, y mobile, x external, p phone line, g group, f fax line, s SMS, v voicemail */
export type ExtensionKind = 'w' | 'e' | 'y' | 'x' | 'p' | 'g' | 'f' | 's' | 'v'

export interface Extension {
  id: string
  kind: ExtensionKind
  alias: string
  /** The extension this one belongs to: a user's device, a group's voicemail. */
  owner: string | undefined
}

export interface Extensions {
  /** Takes the next number of that letter; numbers are never given twice, also not after a deletion. */
  create(accountId: string, extension: { kind: ExtensionKind; alias: string; owner?: string; at: number }): Promise<string>
  find(accountId: string, id: string): Promise<Extension | undefined>
  /** What belongs to a user or group, oldest first. */
  listOwned(accountId: string, owner: string, kind: ExtensionKind): Promise<Extension[]>
  setAlias(accountId: string, id: string, alias: string): Promise<boolean>
  /** The id stays taken for ever; the extension is no longer found. */
  remove(accountId: string, id: string, at: number): Promise<boolean>
}
