import { Button, Group, Stack } from '@mantine/core'
import { Dialog } from '../modal/dialog.tsx'
import type { FormEvent, ReactNode } from 'react'
import { useText } from '#words/use-text.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { text } from '../text.ts'
import { useProblemFocus } from './use-problem-focus.ts'

export interface FormModalProps {
  opened: boolean
  title: string
  onClose: () => void
  onSubmit: () => void
  /** Default: "Save". */
  submit?: string
  /** Something that the service would refuse anyway is missing. */
  disabled?: boolean
  /** While the service is asked. */
  pending?: boolean
  /** What the service said; errors of fields should also stand at their fields (`useForm`). */
  error?: unknown
  size?: string
  children: ReactNode
}

/** A form in a dialog. Give it a `key`, or reset the form when it opens. */
export const FormModal = ({
  opened,
  title,
  onClose,
  onSubmit,
  submit,
  disabled = false,
  pending = false,
  error,
  size = 'md',
  children,
}: FormModalProps) => {
  const say = useText(text)
  const form = useProblemFocus(error)
  const send = (event: FormEvent): void => {
    event.preventDefault()
    event.stopPropagation() // React lets it rise to a form around the dialog
    if (!pending && !disabled) onSubmit()
  }
  return (
    <Dialog opened={opened} onClose={onClose} title={title} size={size}>
      <form ref={form} onSubmit={send} noValidate>
        <Stack>
          {children}
          <ErrorNotice error={error} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {say.cancel}
            </Button>
            <Button type="submit" loading={pending} disabled={disabled}>
              {submit ?? say.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
