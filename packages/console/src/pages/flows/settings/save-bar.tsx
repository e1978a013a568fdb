import { ErrorNotice } from '#parts/form/error-notice.tsx'
import type { Form } from '#parts/form/use-form.ts'
import { useText } from '#words/use-text.tsx'
import { UnsavedBar } from '../parts/unsaved-bar.tsx'
import type { FlowForm } from './flow-form.ts'
import { text } from './text.ts'

export interface SaveBarProps {
  form: Form<FlowForm>
  pending: boolean
  error: unknown
  onDiscard: () => void
}

export const SaveBar = ({ form, pending, error, onDiscard }: SaveBarProps) => {
  const say = useText(text)
  if (!form.changed) return null
  return (
    <UnsavedBar save={say.save} discard={say.discard} pending={pending} onDiscard={onDiscard}>
      <ErrorNotice error={error} />
    </UnsavedBar>
  )
}
