/** Why a backup or a restore does not happen, in words for the operator. */
export class Refused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Refused'
  }
}
