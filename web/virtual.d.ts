declare module "virtual:pieces.css";
