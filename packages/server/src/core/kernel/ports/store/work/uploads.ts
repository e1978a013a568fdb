/** A file that is complete on one machine and not yet where all machines find it. */
export interface Upload {
  key: string
  /** The machine that has it, for operators. */
  place: string
  createdAt: number
}

export interface Uploads {
  /** Nothing happens when it is there already. */
  add(upload: Upload): Promise<void>
  find(key: string): Promise<(Upload & { erased: boolean }) | undefined>
  /** The machine that has it throws it away instead. Nothing happens when no machine has it. */
  erase(key: string): Promise<void>
  /** It is where it belongs, or thrown away. True when somebody erased it meanwhile. */
  remove(key: string): Promise<boolean>
}
