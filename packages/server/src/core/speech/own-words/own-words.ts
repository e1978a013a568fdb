/** What callers hear from us, not from an endpoint, where the flow has no words of its own for it. */
export interface OwnWords {
  /** The caller was not understood, or no answer came: once more, please. */
  readonly retry: string
  /** A transfer was not taken. */
  readonly nobodyThere: string
  /** The endpoint cannot be reached: the call ends. */
  readonly goodbye: string
  /** Nobody has said anything for a while. */
  readonly stillThere: string
  /** While an answer is on its way: one after the other, all of them short. */
  readonly fillers: readonly string[]
  readonly warmTransfer: {
    /** For the caller, before the music. */
    readonly connecting: string
    /** For the target, after the briefing: the key is 1, the words are in `yes`. */
    readonly accept: string
    /** For the target that took the call. */
    readonly accepted: string
    /** For the target that did not. */
    readonly declined: string
    /** For the target, when the caller has hung up meanwhile. */
    readonly callerGone: string
  }
  /** Whole answers, in small letters and without marks. */
  readonly yes: readonly string[]
  readonly no: readonly string[]
}
