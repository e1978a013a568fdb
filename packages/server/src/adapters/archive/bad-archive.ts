/** Why an archive is not taken, in words for the operator that follow its name. */
export class BadArchive extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BadArchive'
  }
}
