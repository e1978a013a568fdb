/** Facts about the installation itself, such as that the first start is over. */
export interface Settings {
  get(name: string): Promise<string | undefined>
  /** False when it is already set; the value there stays. */
  setOnce(name: string, value: string): Promise<boolean>
  /** False when it was changed meanwhile. */
  replace(name: string, change: { from: string; to: string }): Promise<boolean>
}
