import type { DraftForm } from '../use-draft-form.ts'
import type { Assistant } from '../use-saving.ts'

/** What the parts of the form are given. */
export interface PartProps {
  form: DraftForm
  flowId: string
  /** What the service has, which says whether there are keys. */
  kept: Assistant
  /** Saves what stands in the form, because tests ask what is saved; false: it could not be saved. */
  saveFirst: () => Promise<boolean>
}
