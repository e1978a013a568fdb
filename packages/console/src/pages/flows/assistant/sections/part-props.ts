import type { DraftForm } from '../use-draft-form.ts'
import type { Assistant } from '../use-saving.ts'

/** Props of the form's parts. */
export interface PartProps {
  form: DraftForm
  flowId: string
  /** The saved assistant, which says whether keys are set. */
  kept: Assistant
  /** Saves the form, because tests use the saved version; false if that failed. */
  saveFirst: () => Promise<boolean>
}
