import { Modal, type ModalProps } from '@mantine/core'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'
import { useFocusReturn } from './use-focus-return.ts'

interface DialogProps extends Omit<ModalProps, 'opened' | 'closeButtonProps' | 'returnFocus'> {
  /** Default: while rendered. */
  opened?: boolean
}

/** A modal dialog. Traps the focus while open, and restores it afterwards. */
export const Dialog = ({ opened = true, ...rest }: DialogProps) => {
  const { close } = useText(text)
  useFocusReturn(opened)
  return <Modal {...rest} opened={opened} returnFocus={false} closeButtonProps={{ 'aria-label': close }} />
}
