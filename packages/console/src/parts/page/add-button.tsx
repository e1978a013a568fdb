import { Button, type ButtonProps } from '@mantine/core'
import { Icon } from '../icon/icon.tsx'

interface AddButtonProps extends Pick<ButtonProps, 'variant' | 'size' | 'loading' | 'disabled'> {
  onClick: () => void
  children: string
}

/** Adds one more of what is listed. */
export const AddButton = (props: AddButtonProps) => <Button leftSection={<Icon name="plus" size={16} />} {...props} />
