import { SimpleGrid } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './settings.module.css'

/** Two fields side by side where there is room; what can be typed into stands at one height. */
export const Fields = ({ children }: { children: ReactNode }) => (
  <SimpleGrid cols={{ base: 1, sm: 2 }} className={classes.fields}>
    {children}
  </SimpleGrid>
)
