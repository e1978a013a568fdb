import { Button, Group, Stack } from '@mantine/core'
import { Dialog } from '../modal/dialog.tsx'
import { type FormEvent, type ReactNode, useEffect, useRef, type RefObject } from 'react'
import { useText } from '#words/use-text.tsx'
import { ErrorNotice } from './error-notice.tsx'
import { text } from '../text.ts'

interface FormModalProps {
  opened: boolean
  title: string
  onClose: () => void
  onSubmit: () => void
  /** Default: "Save". */
  submit?: string
  /** Destructive. */
  danger?: boolean
  /** A required value is missing, which the service would reject. */
  disabled?: boolean
  /** Request in progress. */
  pending?: boolean
  /** The service's error; field errors should also appear at their fields (`useForm`). */
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
  danger = false,
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
    event.stopPropagation() // React bubbles it to a form around the dialog
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
            <Button type="submit" loading={pending} disabled={disabled} {...(danger && { color: 'red.8' })}>
              {submit ?? say.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}

/** Focuses the first rejected field: in a long form it may be out of view. */
export const useProblemFocus = (error: unknown): RefObject<HTMLFormElement | null> => {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const field = error ? form.current?.querySelector<HTMLElement>('[aria-invalid=true]') : undefined
    field?.focus({ preventScroll: true })
    field?.scrollIntoView({ block: 'center' })
  }, [error])
  return form
}
