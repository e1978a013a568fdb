/** A phone of an account. */
export interface Desk {
  readonly accountId: string
  readonly deviceId: string
  readonly userId: string
}

/** Who is on the phone in this process right now, and since when everybody else is not. */
export class Occupancy {
  readonly #calls = new Map<string, number>()
  readonly #idleSince = new Map<string, number>()

  enter({ accountId, deviceId }: Desk): void {
    const key = `${accountId}/${deviceId}`
    this.#calls.set(key, (this.#calls.get(key) ?? 0) + 1)
  }

  leave({ accountId, deviceId, userId }: Desk, at: number): void {
    const key = `${accountId}/${deviceId}`
    const left = (this.#calls.get(key) ?? 0) - 1
    if (left > 0) this.#calls.set(key, left)
    else this.#calls.delete(key)
    this.#idleSince.set(`${accountId}/${userId}`, at)
  }

  isBusy(accountId: string, deviceId: string): boolean {
    return this.#calls.has(`${accountId}/${deviceId}`)
  }

  /** When this user hung up for the last time; who has not talked yet waits the longest. */
  idleSince(accountId: string, userId: string): number {
    return this.#idleSince.get(`${accountId}/${userId}`) ?? 0
  }
}
