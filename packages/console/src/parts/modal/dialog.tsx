import { Modal, type ModalProps } from '@mantine/core'
import { useText } from '#words/use-text.tsx'
import { text } from '../text.ts'
import { useFocusReturn } from './use-focus-return.ts'

export interface DialogProps extends Omit<ModalProps, 'opened' | 'closeButtonProps' | 'returnFocus'> {
  /** Default: as long as it is drawn. */
  opened?: boolean
}

/** Over the page. The focus is in it while it is open, and afterwards where it was before. */
export const Dialog = ({ opened = true, ...rest }: DialogProps) => {
  const { close } = useText(text)
  useFocusReturn(opened)
  return <Modal {...rest} opened={opened} returnFocus={false} closeButtonProps={{ 'aria-label': close }} />
}
