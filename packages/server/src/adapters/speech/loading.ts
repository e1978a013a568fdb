/** Shows what is loaded into memory, which takes seconds. */
export interface Loading {
  /** Something begins to be loaded. What comes back is told how that ended. */
  begin(what: string): (outcome: 'loaded' | 'failed') => void
  /** Nothing more is shown. */
  close(): void
}
