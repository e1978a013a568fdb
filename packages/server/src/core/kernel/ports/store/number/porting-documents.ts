export interface PortingDocument {
  id: string
  name: string
  bytes: number
  addedAt: number
}

/** PDFs that belong to a porting. They are sealed: names, addresses and signatures are in them. */
export interface PortingDocuments {
  list(accountId: string, portingId: number): Promise<PortingDocument[]>
  content(accountId: string, portingId: number, id: string): Promise<(PortingDocument & { contentSealed: string }) | undefined>
  insert(accountId: string, portingId: number, document: PortingDocument & { contentSealed: string }): Promise<void>
  remove(accountId: string, portingId: number, id: string): Promise<boolean>
  removeByAccount(accountId: string): Promise<void>
}
