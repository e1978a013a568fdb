export interface Numbers {}
