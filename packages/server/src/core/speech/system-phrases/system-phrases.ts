/** What callers hear from us, not from an endpoint, where the flow has no words of its own for it. */
export interface SystemPhrases {
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
  /** For the one who is to take over a call. */
  readonly warmTransfer: {
    /** When the endpoint has nothing to say about it. */
    readonly callForYou: string
    /** Says which keys and words there are. Ends with a question, because what is said after one is an answer. */
    readonly question: string
  }
  /**
   * Words that make a short answer a yes or a no, and those that change nothing. No greetings: a target that answers with "pronto" has not
   * decided anything.
   */
  readonly answers: { readonly yes: string; readonly no: string; readonly beside: string }
}
