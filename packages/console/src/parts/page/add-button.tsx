import { Button, type ButtonProps } from '@mantine/core'
import { Icon } from '../icon/icon.tsx'

interface AddButtonProps extends Pick<ButtonProps, 'variant' | 'size' | 'loading' | 'disabled'> {
  onClick: () => void
  children: string
}

/** Adds an item to the list. */
export const AddButton = (props: AddButtonProps) => <Button leftSection={<Icon name="plus" size={16} />} {...props} />
