import { ActionIcon, Box, CopyButton, Group, Text, Tooltip } from '@mantine/core'
import { useState } from 'react'
import { useText } from '#words/use-text.tsx'
import classes from './copy-field.module.css'
import { Icon } from '../icon/icon.tsx'
import { text } from '../text.ts'

interface CopyFieldProps {
  label?: string
  value: string
  /** Masked until revealed. */
  secret?: boolean
}

/** A value to copy: an address, an id, a password. */
export const CopyField = ({ label, value, secret = false }: CopyFieldProps) => {
  const say = useText(text)
  const [shown, setShown] = useState(!secret)
  return (
    <Box>
      {label !== undefined && (
        <Text size="sm" fw={550} mb={4}>
          {label}
        </Text>
      )}
      <Group gap={4} wrap="nowrap" className={classes.field}>
        <code className={classes.value}>{shown ? value : '•'.repeat(Math.min(value.length, 16))}</code>
        {secret && (
          <ActionIcon variant="subtle" color="gray" aria-label={shown ? say.hide : say.show} onClick={() => setShown(!shown)}>
            <Icon name={shown ? 'eyeOff' : 'eye'} />
          </ActionIcon>
        )}
        <CopyButton value={value}>
          {({ copied, copy }) => (
            <Tooltip label={copied ? say.copied : say.copy}>
              <ActionIcon variant="subtle" color="gray" aria-label={`${say.copy}${label === undefined ? '' : `: ${label}`}`} onClick={copy}>
                <Icon name={copied ? 'check' : 'copy'} />
              </ActionIcon>
            </Tooltip>
          )}
        </CopyButton>
      </Group>
    </Box>
  )
}
