import { Box, Group, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './section.module.css'

interface SectionProps {
  title?: string
  description?: ReactNode
  actions?: ReactNode
  /** Without padding: for full-width tables. */
  flush?: boolean
  children: ReactNode
}

/** A card with a heading. */
export const Section = ({ title, description, actions, flush = false, children }: SectionProps) => (
  <Box component="section" className={classes.section} aria-label={title}>
    {(title !== undefined || actions !== undefined) && (
      <Group
        justify="space-between"
        align={description === undefined ? 'center' : 'flex-start'}
        className={classes.head}
        data-described={description !== undefined}
      >
        <Box className={classes.heading}>
          {title !== undefined && <Title order={2}>{title}</Title>}
          {description !== undefined && (
            <Text size="sm" c="dimmed" mt={2} component="div">
              {description}
            </Text>
          )}
        </Box>
        {actions !== undefined && <Group gap="xs">{actions}</Group>}
      </Group>
    )}
    <Box className={flush ? classes.flush : classes.body}>{children}</Box>
  </Box>
)
